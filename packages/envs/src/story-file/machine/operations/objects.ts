import { branches, does, stores, storesAndBranches, type OperationTable } from './operation-spec.js';

export const objectOperations: OperationTable = {
  6: branches((m, i) => {
    const child = m.value(i.a);
    m.branch(m.objects.parent(child) === m.value(i.b), i); // opcode jin
  }),
  10: branches((m, i) => m.branch(m.objects.hasAttribute(m.value(i.a), m.value(i.b)), i)), // opcode test_attr
  11: does((m, i) => m.objects.setAttribute(m.value(i.a), m.value(i.b))), // opcode set_attr
  12: does((m, i) => m.objects.clearAttribute(m.value(i.a), m.value(i.b))), // opcode clear_attr
  14: does((m, i) => m.objects.insert(m.value(i.a), m.value(i.b))), // opcode insert_obj
  17: stores((m, i) => m.save(i.store, m.objects.property(m.value(i.a), m.value(i.b)))), // opcode get_prop
  18: stores((m, i) => m.save(i.store, m.objects.propertyAddress(m.value(i.a), m.value(i.b)))), // opcode get_prop_addr
  19: stores((m, i) => m.save(i.store, m.objects.nextProperty(m.value(i.a), m.value(i.b)))), // opcode get_next_prop
  129: storesAndBranches((m, i) => {
    const sibling = m.objects.sibling(m.value(i.a));
    m.save(i.store, sibling);
    m.branch(sibling !== 0, i);
  }),
  130: storesAndBranches((m, i) => {
    const child = m.objects.child(m.value(i.a));
    m.save(i.store, child);
    m.branch(child !== 0, i);
  }),
  131: stores((m, i) => m.save(i.store, m.objects.parent(m.value(i.a)))), // opcode get_parent
  132: stores((m, i) => m.save(i.store, m.objects.propertyLength(m.value(i.a)))), // opcode get_prop_len
  137: does((m, i) => m.objects.remove(m.value(i.a))), // opcode remove_obj
  227: does((m, i) => {
    const object = m.value(i.a);
    const property = m.value(i.b);
    if (!m.objects.setProperty(object, property, m.value(i.c)))
      m.fail(`object ${object} has no property ${property} to set`);
  }),
};

import { checkedBody } from './bodies.js';

/** Returns a list that records which of its elements are read. */
function watched(length: number) {
  const read: string[] = [];
  const list = new Proxy<number[]>(new Array<number>(length).fill(1), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) read.push(key);
      return Reflect.get(target, key) as unknown;
    },
  });
  return { list, read };
}

const prompt = (tokens: unknown) => ({ chunks: [{ type: 'encoded_text', tokens }] });

test('the check of a body reads no element of a list of numbers or datums, which may have millions', () => {
  const { list, read } = watched(1000);
  checkedBody('asample', { base_model: 'm', prompt: prompt(list) });
  const tensor = { data: list, dtype: 'int64', shape: [1000], sparse_crow_indices: list };
  checkedBody('datum', { model_input: prompt(list), loss_fn_inputs: { target_tokens: tensor } });
  checkedBody('forward', { model_id: 'm', seq_id: 1, forward_input: { data: list, loss_fn: 'cross_entropy' } });
  expect(read).toEqual([]);
});

test('a value that is not a list is named, as other wrong values are', () => {
  expect(() => checkedBody('telemetry', { session_id: 's', events: 'text' })).toThrow(
    'events: expected array, not "text"',
  );
  expect(() => checkedBody('forward', { model_id: 'm', forward_input: { data: {}, loss_fn: '' } })).toThrow(
    'forward_input.data: expected array, not an object',
  );
});

import { signedWord, type Machine } from '../machine.js';
import { does, prints, stores, type OperationTable } from './operation-spec.js';

/** Ends an output stream to memory: writes the text's length as a word, then its ZSCII codes (section 7.1.2.1). */
function closeMemoryStream(m: Machine): void {
  const stream = m.screen.closeMemoryStream();
  if (stream === undefined) return;
  const codes = [...stream.text].map((character) => m.text.zscii.code(character));
  m.setWord(stream.table, codes.length);
  codes.forEach((code, k) => m.setByte(stream.table + 2 + k, code));
}

/** Opens or closes a stream: 1 is the screen, 3 a table in memory; transcript (2) and command record (4) are not supported. */
function selectStream(m: Machine, stream: number, table: number): void {
  if (Math.abs(stream) === 1) m.screen.selectScreen(stream > 0);
  else if (stream === -3) closeMemoryStream(m);
  else if (stream === 3 && !m.screen.openMemoryStream(table)) m.fail('opens more than 16 memory streams');
}

/** Prints a rectangle of characters, each row below the previous one (opcode print_table). */
function printTable(m: Machine, table: number, width: number, height: number, skip: number): void {
  const { column, row } = m.screen.cursor;
  for (let line = 0, at = table; line < height; line++, at += width + skip) {
    if (line > 0) m.screen.print('\n');
    if (line > 0) m.screen.setCursor(row + line, column);
    let text = '';
    for (let k = 0; k < width; k++) text += m.text.zscii.text(m.memory[at + k]);
    m.screen.print(text);
  }
}

export const outputOperations: OperationTable = {
  135: does((m, i) => m.screen.print(m.text.textAt(m.memory, m.value(i.a)))), // opcode print_addr
  138: does((m, i) => m.screen.print(m.objects.name(m.value(i.a)))), // opcode print_obj
  141: does((m, i) => m.screen.print(m.text.textAt(m.memory, m.story.stringAddress(m.value(i.a))))), // opcode print_paddr
  178: prints((m, i) => m.screen.print(i.text)), // opcode print
  187: does((m) => m.screen.print('\n')), // opcode new_line
  188: does(() => undefined), // opcode show_status: the environment reads the status from memory
  229: does((m, i) => m.screen.print(m.text.zscii.text(m.value(i.a)))), // opcode print_char
  230: does((m, i) => m.screen.print(String(m.signed(i.a)))), // opcode print_num
  234: does((m, i) => m.screen.splitWindow(m.value(i.a))), // opcode split_window
  235: does((m, i) => m.screen.setWindow(m.value(i.a))), // opcode set_window
  237: does((m, i) => m.screen.eraseWindow(m.signed(i.a))), // opcode erase_window
  238: does((m, i) => {
    if (m.value(i.a) === 1) m.screen.eraseToEndOfLine(); // opcode erase_line
  }),
  239: does((m, i) => {
    const [row, column] = [m.value(i.a), m.value(i.b)];
    m.screen.setCursor(row - 1, column - 1); // opcode set_cursor
  }),
  240: does((m, i) => {
    const table = m.value(i.a);
    m.setWord(table, m.screen.cursor.row + 1); // opcode get_cursor
    m.setWord(table + 2, m.screen.cursor.column + 1);
  }),
  241: does((m, i) => void m.value(i.a)), // opcode set_text_style: plain text has no styles
  242: does((m, i) => void m.value(i.a)), // opcode buffer_mode
  243: does((m, i) => {
    const stream = m.signed(i.a);
    selectStream(m, stream, stream === 3 ? m.value(i.b) : 0);
  }),
  254: does((m, i) => {
    const [table, width, height = 1, skip = 0] = i.operands.map((operand) => m.value(operand));
    printTable(m, table, width, height, signedWord(skip));
  }),
  27: does((m, i) => void i.operands.forEach((operand) => m.value(operand))), // opcode set_colour
  // opcode set_font, which accepts only the normal font
  260: stores((m, i) => m.save(i.store, m.value(i.a) === 1 || m.value(i.a) === 0 ? 1 : 0)),
  267: does((m, i) => m.screen.print(String.fromCharCode(m.value(i.a)))), // opcode print_unicode
  268: stores((m, i) => {
    m.value(i.a);
    m.save(i.store, 0b11); // opcode check_unicode: every character can be printed and read
  }),
  269: does((m, i) => void i.operands.forEach((operand) => m.value(operand))), // opcode set_true_colour
};

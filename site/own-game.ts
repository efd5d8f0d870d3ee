// Draws the visitor's own guessing game: a table with a row for each word, a column for each question, and a checkbox for each
// answer.
import { download, element, made, program } from './dom.js';

/** The name of the game's file beside the command in Node. */
export const OWN_GAME = 'game.json';

const START_QUESTIONS = ['is it alive?', 'can it fly?', 'is it bigger than a person?'];
const START_WORDS: readonly [string, ...boolean[]][] = [
  ['bee', true, true, false],
  ['horse', true, false, true],
  ['kite', false, true, false],
  ['rocket', false, true, true],
  ['spoon', false, false, false],
];

const head = element<HTMLTableRowElement>('own-questions');
const body = element<HTMLTableSectionElement>('own-words');

function cellWith(name: 'td' | 'th', input: HTMLInputElement): HTMLTableCellElement {
  const cell = made(name, '');
  cell.append(input);
  return cell;
}

const textField = (label: string, value: string): HTMLInputElement =>
  made('input', '', { type: 'text', ariaLabel: label, value });

const box = (checked: boolean): HTMLInputElement => made('input', '', { type: 'checkbox', checked });

/** Returns the texts in the fields of a table row. */
const textsOf = (fields: NodeListOf<HTMLInputElement>): string[] => [...fields].map(({ value }) => value.trim());
const questions = (): string[] => textsOf(head.querySelectorAll('input'));

/** Labels each checkbox with its answer. */
function nameBoxes(): void {
  const asked = questions();
  for (const row of body.rows) {
    const [word, ...boxes] = row.querySelectorAll('input');
    boxes.forEach((answer, i) => (answer.ariaLabel = `${word!.value}: ${asked[i]}`));
  }
}

function addQuestion(question: string): HTMLInputElement {
  const field = textField(`Question ${head.cells.length}`, question);
  head.append(cellWith('th', field));
  for (const row of body.rows) row.append(cellWith('td', box(false)));
  return field;
}

function addWord(word: string, answers: readonly boolean[]): HTMLInputElement {
  const field = textField(`Word ${body.rows.length + 1}`, word);
  const row = made('tr', '');
  row.append(cellWith('td', field), ...questions().map((_, i) => cellWith('td', box(answers[i] ?? false))));
  body.append(row);
  return field;
}

/** Returns the file of the game, without empty words and questions. A repeated word is in it twice, and is refused. */
function ownGame(): Uint8Array {
  const asked = questions();
  const rows = [...body.rows].flatMap((row) => {
    const [word, ...boxes] = row.querySelectorAll('input');
    const answers = boxes.flatMap((answer, i) =>
      asked[i] === '' ? [] : [`${JSON.stringify(asked[i])}: ${answer.checked}`],
    );
    return word!.value.trim() === '' ? [] : [`  ${JSON.stringify(word!.value.trim())}: { ${answers.join(', ')} }`];
  });
  return new TextEncoder().encode(`{\n${rows.join(',\n')}\n}\n`);
}

/** Writes the game for a run of this page, which has a file of its own: a later game does not change it. @returns its path below /work */
export async function writeOwnGame(run: string): Promise<string> {
  const path = `games/${run}.json`;
  await program().write(`/work/${path}`, ownGame());
  return path;
}

for (const question of START_QUESTIONS) addQuestion(question);
for (const [word, ...answers] of START_WORDS) addWord(word, answers);
nameBoxes();
element('own-table').addEventListener('input', nameBoxes);
element('add-word').addEventListener('click', () => {
  addWord('', []).focus();
  nameBoxes();
});
element('add-question').addEventListener('click', () => {
  addQuestion('').focus();
  nameBoxes();
});
element('own-file').addEventListener('click', () => download(OWN_GAME, ownGame()));

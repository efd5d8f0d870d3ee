// Writes the tasks of this agent, messages of customers with the desk that each belongs to: node tasks.mjs
// Every product and every complaint is in both files; a pair of them is in one.
import { writeFileSync } from 'node:fs';

const products = ['bag', 'bike', 'book', 'chair', 'clock', 'coat', 'desk', 'fan', 'hat', 'kettle', 'lamp', 'oven'];
const complaints = {
  shipping: ['never arrived', 'is a week late', 'went to another street', 'is still on its way'],
  returns: ['is too small', 'has the wrong colour', 'came in a broken box', 'was not ordered'],
  billing: ['was charged twice', 'cost more than agreed', 'needs a new invoice', 'was paid in cash'],
  repair: ['makes a loud noise', 'stopped after a day', 'has a loose screw', 'does not turn on'],
};

const tasks = Object.entries(complaints).flatMap(([desk, texts]) =>
  texts.flatMap((text, t) =>
    products.map((product, p) => ({
      id: `${desk}-${t}-${product}`,
      message: `the ${product} ${text}`,
      desk,
      isHeldOut: (p + t) % 3 === 0,
    })),
  ),
);

for (const [file, isTest] of [
  ['tasks.jsonl', false],
  ['test.jsonl', true],
]) {
  const lines = tasks
    .filter(({ isHeldOut }) => isHeldOut === isTest)
    .map(({ id, message, desk }) => JSON.stringify({ id, message, desk }));
  writeFileSync(new URL(file, import.meta.url), `${lines.join('\n')}\n`);
}

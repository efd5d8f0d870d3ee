// The tasks: the expression of each file of the fixture is replaced by each other one of two operands that has another value.
// As a program it prints them as lines of JSON: node tasks.mjs > tasks.jsonl
import { fileURLToPath } from 'node:url';

const RIGHT = {
  area: '*',
  cost: '*',
  speed: '/',
  share: '/',
  change: '-',
  age: '-',
  total: '+',
  length: '+',
  remainder: '%',
  hour: '%',
  growth: '**',
  volume: '**',
};
const operators = [...new Set(Object.values(RIGHT))];
const isCommutative = (operator) => '+*'.includes(operator);
const expressions = [
  ...operators.map((operator) => `a ${operator} b`),
  ...operators.filter((operator) => !isCommutative(operator)).map((operator) => `b ${operator} a`),
];

export const tasks = Object.entries(RIGHT).flatMap(([name, operator]) => {
  const right = `a ${operator} b`;
  return expressions
    .filter((wrong) => wrong !== right)
    .map((wrong) => ({ id: `${name} ${wrong}`, file: `${name}.mjs`, fault: { right, wrong } }));
});

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const task of tasks) console.log(JSON.stringify(task));

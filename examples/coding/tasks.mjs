// The tasks: in each one, an operator of the fixture is replaced by another one.
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

export const tasks = Object.entries(RIGHT).flatMap(([name, right]) =>
  operators
    .filter((wrong) => wrong !== right)
    .map((wrong) => ({
      id: `${name} ${wrong}`,
      file: `${name}.mjs`,
      fault: { right: `a ${right} b`, wrong: `a ${wrong} b` },
    })),
);

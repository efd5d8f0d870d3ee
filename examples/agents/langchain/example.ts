// Questions on a table of orders. The records have each kind of question, and few that name both a person and an item.
import type { Example } from '../common/example.js';

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn'];
const items = ['apples', 'pears', 'plums', 'figs', 'limes'];
const asks: Record<string, [question: string, selected: string]> = {
  count: ['How many orders', 'COUNT(*)'],
  sum: ['How much in all', 'SUM(amount)'],
  max: ['What is the most', 'MAX(amount)'],
};

interface SqlTask {
  question: string;
  orders: [name: string, item: string, amount: number][];
  answer: string;
  kind: string;
}

export const example: Example<SqlTask, string> = {
  draw(rng) {
    const [ask, person, item] = [rng.choice(Object.keys(asks)), rng.choice(people), rng.choice(items)];
    const both = rng.uniform() < 0.5;
    const byPerson = both || rng.uniform() < 0.5;
    const drawn = Array.from({ length: 6 }, () => [rng.choice(people), rng.choice(items), rng.integer(2, 9)] as const);
    const orders = [[person, item, rng.integer(2, 9)] as const, ...drawn].map((row): [string, string, number] => [
      ...row,
    ]);
    const which = both ? `of ${person} for ${item}` : byPerson ? `of ${person}` : `for ${item}`;
    const matching = orders.filter(
      ([who, what]) => (both || byPerson ? who === person : true) && (both || !byPerson ? what === item : true),
    );
    const amounts = matching.map(([, , amount]) => amount);
    const results = { count: amounts.length, sum: amounts.reduce((sum, n) => sum + n, 0), max: Math.max(...amounts) };
    const answer = String(results[ask as keyof typeof results]);
    return { question: `${asks[ask][0]} ${which}?`, orders, answer, kind: both ? 'both' : 'one' };
  },
  isRecorded: ({ kind }, rng) => kind === 'one' || rng.uniform() < 0.2,
  warmStart: { records: 200, epochs: 20, batchSize: 16, lmLr: 4e-3 },
  training: { iterations: 30, lmLr: 3e-4 },
  expert(messages) {
    const [first, last] = [messages[0].content, messages.at(-1)!];
    if (last.role === 'tool') return last.content;
    const [, selected] = Object.values(asks).find(([question]) => first.startsWith(question))!;
    const [person, item] = [people.find((name) => first.includes(name)), items.find((name) => first.includes(name))];
    const conditions = [...(person ? [`name = '${person}'`] : []), ...(item ? [`item = '${item}'`] : [])];
    return [['sql', { query: `SELECT ${selected} FROM orders WHERE ${conditions.join(' AND ')}` }]];
  },
  reward: ({ answer }, said) => (said === answer ? 1 : 0),
};

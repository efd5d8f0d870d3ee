// Questions about a table of orders, by person, by item, or by both. A careless expert queries another figure than the one in
// question, or does not answer.
import { maximum } from '@bowyer/core';
import type { Example, Said } from '../common/example.js';

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
    const results = { count: amounts.length, sum: amounts.reduce((sum, n) => sum + n, 0), max: maximum(amounts) };
    const answer = String(results[ask as keyof typeof results]);
    return { question: `${asks[ask][0]} ${which}?`, orders, answer, kind: both ? 'both' : 'one' };
  },
  names: [people, items],
  warmStart: { records: 150, carelessness: 0.45, copies: 14, epochs: 6, batchSize: 16, lmLr: 4e-3 },
  expert(messages) {
    const [first, last] = [messages[0].content, messages.at(-1)!];
    if (last.role === 'tool') return last.content;
    const [, selected] = Object.values(asks).find(([question]) => first.startsWith(question))!;
    return queryOf(first, selected);
  },
  slip(messages, _, rng) {
    const [first, last] = [messages[0].content, messages.at(-1)!];
    return last.role === 'tool' ? 'I do not know.' : queryOf(first, rng.choice(Object.values(asks))[1]);
  },
  reward: ({ answer }, said) => (said === answer ? 1 : 0),
};

/** Returns a query for a figure of the orders in question. */
function queryOf(question: string, selected: string): Said {
  const [person, item] = [people, items].map((names) => names.find((name) => question.includes(name)));
  const conditions = [...(person ? [`name = '${person}'`] : []), ...(item ? [`item = '${item}'`] : [])];
  return [['sql', { query: `SELECT ${selected} FROM orders WHERE ${conditions.join(' AND ')}` }]];
}

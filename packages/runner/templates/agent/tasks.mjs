// The tasks: objects with an id and all data that the agent and the reward need. Your tasks may come from a file or a database.
const STATES = ['lost', 'broken', 'late', 'delivered'];
const QUESTIONS = [
  (order) => `Where is my order ${order}?`,
  (order) => `I have ordered something, number ${order}. What about it?`,
  (order) => `${order} does not look right. Please help me.`,
];

export const tasks = Array.from({ length: 400 }, (_, i) => {
  const order = String(1000 + ((i * 7919) % 9000)); // each number occurs once
  return { id: `order-${order}`, order, state: STATES[i % 4], question: QUESTIONS[i % 3](order) };
});

// The reward: 1 if the agent has done exactly what the state of the order requires, else 0.
const EXPECTED = { lost: ['refund'], broken: ['refund'], late: ['hand_over'], delivered: [] };

export const reward = (task, { result }) =>
  result.text !== '' && String(result.done) === String(EXPECTED[task.state]) ? 1 : 0;

// The reward: 1 where the agent has done what the state of the order asks for, and nothing else; 0 where it has not.
const EXPECTED = { lost: ['refund'], broken: ['refund'], late: ['hand_over'], delivered: [] };

export const reward = (task, { result }) =>
  result.text !== '' && String(result.done) === String(EXPECTED[task.state]) ? 1 : 0;

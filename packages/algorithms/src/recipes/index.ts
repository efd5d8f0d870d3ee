// All algorithms of this package: a line here registers one.
export { archer } from './archer.js';
export { chai } from './chai.js';
export { onlineFilteredBc } from './online-filtered-bc.js';
export { bc } from './bc.js';
export { ppo } from './ppo.js';
export { filteredBc } from './filtered-bc.js';
export { agentEvol } from './agent-evol.js';
export { iql } from './iql.js';
export { awr } from './awr.js';
export { offlineArcher } from './offline-archer.js';
export { grpo } from './grpo.js';
export { rloo } from './rloo.js';
export { reinforcePp } from './reinforce-pp.js';
export { gigpo } from './gigpo.js';
export { dpo } from './dpo.js';
export { offlineDpo } from './offline-dpo.js';
export { opd } from './opd.js';

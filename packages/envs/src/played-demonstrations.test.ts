// Tests the actions from which slips are drawn.
import { Slips } from './played-demonstrations.js';

test('a slip is a later action, the next one with a word of another, or one said elsewhere, and never valid now', () => {
  const slips = new Slips(1, 3);
  for (let i = 0; i < 40; i++) slips.before('open red door', []); // earlier actions of the expert
  const valid = ['look'];
  const kinds = { later: 0, elsewhere: 0, oneWord: 0 };
  for (let i = 0; i < 200; i++) {
    const slip = slips.before('take blue key', valid, ['drop blue key', 'look']);
    if (slip === null) continue; // slips that are valid, or equal the planned action, are discarded
    if (slip === 'drop blue key') kinds.later++;
    else if (slip === 'open red door') kinds.elsewhere++;
    else {
      const changed = slip.split(' ').filter((word, at) => word !== ['take', 'blue', 'key'][at]);
      expect(changed).toHaveLength(1);
      expect(['open', 'red', 'door', 'take', 'blue', 'key']).toContain(changed[0]);
      kinds.oneWord++;
    }
  }
  for (const count of Object.values(kinds)) expect(count).toBeGreaterThan(5);
  expect(new Slips(0, 3).before('take blue key', valid)).toBeNull();
});

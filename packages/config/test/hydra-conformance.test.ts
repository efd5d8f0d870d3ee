// Compares our answers with every recorded one of the real Hydra (fixtures): configs, YAML byte for byte, resolved values, defaults
// lists, choices, hydra settings and sweeps. A case that fails there must fail here for the same cause and name the same things.
import { newFolder } from '@bowyer/testing';
import { answer, problems, recordedCases, setRoot, type RecordedCase } from './recorded-case.js';

const composed = recordedCases('composition');
let root = '';
const areas = [...new Set(composed.map(({ area }) => area))];

beforeEach(() => {
  root = newFolder();
  setRoot(root);
});

describe.each(areas)('%s', (area) => {
  const mine = composed.filter((test) => test.area === area);
  test.each(mine.map((one): [string, RecordedCase] => [one.id, one]))('%s', (_, one) => {
    const ours = answer(one);
    const found = problems(ours, one.expect, one.unordered === true);
    if (found.length === 0) return;
    if (one.expect_next && problems(ours, one.expect_next, one.unordered === true).length === 0) return;
    throw new Error(found.join('\n'));
  });
});

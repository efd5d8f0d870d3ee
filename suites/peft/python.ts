// Names the Python packages that the tests of PEFT and of TRL run with.
import type { Source } from '../suite.js';

export const python: Source = {
  pip: 'transformers',
  version: '5.17.0',
  with: ['torch==2.13.0', 'accelerate==1.15.0', 'datasets==5.0.1', 'peft==0.21.0', 'scipy', 'pytest==9.1.1'],
};

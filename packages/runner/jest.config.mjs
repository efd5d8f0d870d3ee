import base from '../../jest.config.base.mjs';

// The longest suite, still running when the other packages are done: it may use both cores of a small machine.
export default { ...base, maxWorkers: 2 };

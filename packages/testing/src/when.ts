// Skips tests whose requirements the machine does not meet, with the reason in their titles. The reporter of jest.config.base.mjs
// counts the skipped tests by reason.

/** Jest's `test` and `describe`, or their skipping forms. */
export interface Tests {
  test: jest.It;
  describe: jest.Describe;
}

/**
 * Returns `test` and `describe`, which skip if tests cannot run.
 *
 * @param available whether the tests can run here
 * @param reason of skipping, such as 'no WebGPU adapter'
 */
export function when(available: boolean, reason: string): Tests {
  return available ? { test, describe } : titled({ test: test.skip, describe: describe.skip }, ` [skipped: ${reason}]`);
}

/** Runs a suite on each kind of device. On webgpu it is skipped without an adapter. */
export function describeOnDevices(webgpuAvailable: boolean, suite: (device: 'cpu' | 'webgpu') => void): void {
  describe('on cpu', () => suite('cpu'));
  when(webgpuAvailable, 'no WebGPU adapter').describe('on webgpu', () => suite('webgpu'));
}

/** Adds a suffix to the titles of all tests and suites, including those of `each`. */
export function titled(tests: { test: jest.It; describe: jest.Describe }, suffix: string): Tests {
  return { test: withSuffix(tests.test, suffix), describe: withSuffix(tests.describe, suffix) };
}

function withSuffix<Register extends jest.It | jest.Describe>(register: Register, suffix: string): Register {
  type Titled = [title: string, ...rest: unknown[]];
  const withTitle = ([title, ...rest]: Titled): Titled => [`${title}${suffix}`, ...rest];
  const each = (...table: unknown[]) => {
    const registerRows = Reflect.apply(register.each, register, table) as typeof register;
    return (...given: Titled) => Reflect.apply(registerRows, undefined, withTitle(given));
  };
  const registerTitled = (...given: Titled) => Reflect.apply(register, undefined, withTitle(given));
  return Object.assign(registerTitled, register, { each });
}

// Sets Node's globals in the worker, since libraries also read them from `globalThis`.
import * as globals from '@bowyer/page/globals';

Object.assign(globalThis, globals);

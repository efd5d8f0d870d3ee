// Gives the worker Node's globals: its libraries read them from `globalThis` too.
import * as globals from '@bowyer/page/globals';

Object.assign(globalThis, globals);

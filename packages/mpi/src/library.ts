// Calls functions of the system's MPI library through koffi, a foreign function interface. Whether the library is Open MPI or
// MPICH is detected when it is loaded, since their handles differ: they are pointers to symbols in Open MPI, integers in MPICH
// and implementations derived from it. Sources: the MPI 3.1 standard for the functions; mpi.h of Open MPI 4 and of MPICH (whose
// ABI Intel, Cray and MVAPICH share) for the handles.
import { libraryNames, LIBRARY_VARIABLE } from './launcher.js';

/** An argument of a C function: a number, an array (passed as a pointer), an address, or an MPI handle. */
type Argument = number | bigint | null | object;
type Function = (...args: Argument[]) => number;

type ElementType = 'float' | 'double' | 'byte' | 'int';

/** The handles that an MPI implementation predefines, such as that of MPI_COMM_WORLD. */
interface Handles {
  /** The C type of an MPI handle of a communicator, datatype or operation. */
  type: 'void*' | 'int';
  world: Argument;
  types: Record<ElementType, Argument>;
  operations: Record<'sum' | 'max', Argument>;
  inPlace: bigint;
}

export interface MpiLibrary {
  /** The first line of the library's version text (MPI_Get_library_version). */
  version: string;
  handles: Handles;
  /** @param types the C types of the arguments; 'handle' for an MPI handle, whose C type depends on the implementation */
  call(name: string, types: readonly ('void*' | 'int' | 'handle')[]): Function;
}

interface NativeLibrary {
  func(name: string, result: string, types: readonly string[]): Function;
  symbol(name: string, type: string): object;
}

const VERSION_BYTES = 8192; // MPI_MAX_LIBRARY_VERSION_STRING of MPICH, which is longer than Open MPI's
/** The size of the stack on which koffi calls MPI functions. MPICH needs more than koffi's default. */
const STACK_BYTES = 8 << 20;

let loaded: Promise<MpiLibrary> | undefined;

/** The library is loaded once in each thread. @throws if koffi is not installed, or if no MPI library is found */
export const openLibrary = (): Promise<MpiLibrary> => (loaded ??= loadLibrary());

async function loadLibrary(): Promise<MpiLibrary> {
  const load = await nativeLoader();
  const failures: string[] = [];
  for (const name of libraryNames(process.env)) {
    try {
      return describe(load(name));
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  throw new Error(
    `this process was started as one of several, and no MPI library was found:\n${failures.map((line) => `    ${line}\n`).join('')}` +
      '  install the library of the launcher (Debian: apt-get install libopenmpi3, or libmpich12), or name it:\n' +
      `  ${LIBRARY_VARIABLE}=/path/to/libmpi.so; a run of one process needs none: start bowyer without mpirun or srun`,
  );
}

async function nativeLoader(): Promise<(name: string) => NativeLibrary> {
  try {
    const { default: koffi } = await import('koffi');
    try {
      koffi.config({ sync_stack_size: STACK_BYTES });
    } catch {
      // koffi.config throws once koffi has been used: an earlier call has already set the same stack size.
    }
    return (name) => {
      const library = koffi.load(name, { global: true });
      return {
        func: (symbol, result, types) => library.func(symbol, result, [...types]),
        symbol: (symbol, type) => library.symbol(symbol, type) as object,
      };
    };
  } catch (error) {
    throw new Error(
      `this process was started as one of several, and the package koffi, which calls MPI, does not load: ${(error as Error).message}\n` +
        '  npm install koffi, without --omit=optional; or start bowyer without mpirun or srun',
    );
  }
}

function describe(native: NativeLibrary): MpiLibrary {
  const text = Buffer.alloc(VERSION_BYTES);
  const length = new Int32Array(1);
  native.func('MPI_Get_library_version', 'int', ['void*', 'void*'])(text, length);
  const version = text.toString('utf8', 0, length[0]).split('\n')[0].replace(/\0.*/, '').trim();
  const handles = version.startsWith('Open MPI') ? openMpiHandles(native) : mpichHandles;
  return {
    version,
    handles,
    call: (name, types) =>
      native.func(
        name,
        'int',
        types.map((type) => (type === 'handle' ? handles.type : type)),
      ),
  };
}

function openMpiHandles(native: NativeLibrary): Handles {
  const at = (name: string) => native.symbol(`ompi_mpi_${name}`, 'char');
  return {
    type: 'void*',
    world: at('comm_world'),
    types: { float: at('float'), double: at('double'), byte: at('byte'), int: at('int') },
    operations: { sum: at('op_sum'), max: at('op_max') },
    inPlace: 1n,
  };
}

const mpichHandles: Handles = {
  type: 'int',
  world: 0x44000000,
  types: { float: 0x4c00040a, double: 0x4c00080b, byte: 0x4c00010d, int: 0x4c000405 },
  operations: { sum: 0x58000003, max: 0x58000001 },
  inPlace: -1n,
};

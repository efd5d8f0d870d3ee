// The recording server that is killed: node child.js FOLDER prints its address.
import { scriptedServer } from '../../test/scripted-server.js';

const { server } = await scriptedServer(process.argv[2], { partBytes: 1 << 18, seed: Date.now() % 2 ** 32 });
process.stdout.write(`${server.origin}\n`);

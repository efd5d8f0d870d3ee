// A server in a process of its own. With the argument 'dies', it kills itself by SIGKILL while it writes its second snapshot of
// a model: the temporary folder then has the adapter, and not yet the optimizer.
import { LanguageModel } from '@bowyer/models';
import { tinyServer } from './tiny-server.js';

const [modelFolder, folder, mode] = process.argv.slice(2);
if (mode === 'dies') {
  const save = Reflect.get(LanguageModel.prototype, 'save');
  let snapshots = 0;
  LanguageModel.prototype.save = async function (dir) {
    await save.call(this, dir);
    if (/\d+\.partial$/.test(dir) && ++snapshots === 2) process.kill(process.pid, 'SIGKILL');
  };
}
const { server } = await tinyServer(modelFolder, folder);
console.log(server.url);

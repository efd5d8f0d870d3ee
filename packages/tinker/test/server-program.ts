import { tinyServer } from './tiny-server.js';

const [modelFolder, folder] = process.argv.slice(2);
const { server } = await tinyServer(modelFolder, folder);
console.log(server.url);

export { joinRanks, MpiRanks } from './mpi-ranks.js';

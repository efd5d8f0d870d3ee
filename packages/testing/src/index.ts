export { recordings, recordedLines, whenRecorded } from './recordings.js';
export { describeOnDevices, when, type Tests } from './when.js';

export { TinkerServer, type TinkerServerOptions } from './tinker-server.js';
export { openTrainingBase, type TrainingBaseOptions } from './training/open-training-base.js';
export { TrainingRequestError } from './training/request-error.js';
export { TinkerClient, TinkerError, type TinkerClientOptions } from './client/tinker-client.js';
export { dtypes, forwardBackwardRequest } from './wire/messages.js';
export type { Quotas } from './models/model-record.js';
export type {
  AdamParams,
  Datum,
  LoraShape,
  LossName,
  LossReport,
  LossRequest,
  TrainableModel,
  TrainableModules,
  TrainingBase,
} from './training/trainable.js';

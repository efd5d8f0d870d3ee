export type {
  AdamParams,
  Datum,
  LoraShape,
  LossName,
  LossReport,
  LossRequest,
  TrainableModel,
  TrainingBase,
} from './training/trainable.js';

// Keys of a config that say how a file of conversations is read.
import { nullable, oneOf, Type } from '@bowyer/core';
import { FORMAT_NAMES } from './formats/detect.js';

export const dataFormatKey = nullable(
  oneOf(FORMAT_NAMES, 'format of the conversations'),
  'format of the conversations; null: found by the keys of each item',
);

export const dataSplitKey = nullable(
  Type.String(),
  'the split of a folder of data that has several, by the beginning of the names of its files (train, test); null: the folder has one',
);

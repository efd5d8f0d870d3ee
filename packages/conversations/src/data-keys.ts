// Defines the config options that determine how a file of conversations is read.
import { oneOf, optional, optionalText } from '@bowyer/core';
import { FORMAT_NAMES } from './formats/detect.js';

export const dataFormatKey = optional(
  () => oneOf(FORMAT_NAMES, 'format of the conversations'),
  'format of the conversations; null: found by the keys of each item',
);

export const dataSplitKey = optionalText(
  'the split that is read from a folder of data: the word with which the names of its files begin, such as train or test; null: the folder has only one split',
);

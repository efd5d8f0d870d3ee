// Converts errors to the failures with which futures of the Tinker API report them, in the categories that clients know.
import { protobuf } from '@bowyer/core';
import { AdapterError } from '@bowyer/models';
import { BadRequestError } from '@bowyer/serving';
import { RequestError } from './request-error.js';
import { TrainingRequestError } from './training/request-error.js';

export interface Failure {
  error: string;
  category: 'user' | 'server';
}

/** Errors that the client has caused, and whose message says what it must change in the request. */
const ofUsers = [RequestError, TrainingRequestError, BadRequestError, AdapterError, protobuf.MessageError];

export const failureOf = (error: unknown): Failure =>
  error instanceof Error && ofUsers.some((type) => error instanceof type)
    ? { error: error.message, category: 'user' }
    : {
        error: `the server had an error: ${error instanceof Error ? error.message : String(error)}`,
        category: 'server',
      };

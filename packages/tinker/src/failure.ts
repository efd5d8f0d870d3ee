// Converts errors to the failures of requests, in the categories that clients know.
import { protobuf } from '@bowyer/core';
import { AdapterError } from '@bowyer/models';
import { BadRequestError } from '@bowyer/serving';
import { RequestError } from './request-error.js';
import { TrainingRequestError } from './training/request-error.js';

/** The failure of a request in the form of its future. */
export interface Failure {
  error: string;
  category: 'user' | 'server';
}

/** Errors whose message says what the client must change in the request. */
const ofUsers = [RequestError, TrainingRequestError, BadRequestError, AdapterError, protobuf.MessageError];

export const failureOf = (error: unknown): Failure =>
  error instanceof Error && ofUsers.some((type) => error instanceof type)
    ? { error: error.message, category: 'user' }
    : {
        error: `the server had an error: ${error instanceof Error ? error.message : String(error)}`,
        category: 'server',
      };

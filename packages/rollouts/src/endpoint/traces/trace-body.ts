// Reads the body of a request that sends OpenTelemetry traces: JSON or protobuf, plain or compressed with gzip.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BadRequestError, BodyError, parseJson, type Exchange } from '@bowyer/serving';
import { readTraces } from './otlp-protobuf.js';

/** The largest size of a body in bytes, both before and after decompression. */
const LONGEST_BODY = 8 * 2 ** 20;

export const PROTOBUF = 'application/x-protobuf';

export const isProtobuf = ({ request: { headers } }: Exchange): boolean =>
  headers['content-type']?.toLowerCase().startsWith(PROTOBUF) === true;

export interface TraceBody {
  bytes: Buffer;
  isProtobuf: boolean;
  isCompressed: boolean;
}

/** Reads a body without decompressing it. @throws {BodyError} for an unsupported encoding or a body that is too large */
export async function arrivedBody(exchange: Exchange): Promise<TraceBody> {
  const { 'content-encoding': encoding = 'identity' } = exchange.request.headers;
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const remedy = 'traces are read uncompressed or with gzip (OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=gzip)';
    throw new BodyError('not text', `the header Content-Encoding is '${encoding}'; ${remedy}`);
  }
  const bytes = await exchange.bytes(LONGEST_BODY);
  return { bytes, isProtobuf: isProtobuf(exchange), isCompressed: encoding === 'gzip' };
}

/** Decompresses and parses a body to the JSON form of OTLP. @throws {BodyError} @throws {BadRequestError} */
export async function batchOf(body: TraceBody): Promise<unknown> {
  const bytes = body.isCompressed ? await inflated(body.bytes) : body.bytes;
  if (!body.isProtobuf) return parseJson(textOf(bytes));
  try {
    return readTraces(bytes);
  } catch (error) {
    throw new BadRequestError(`the body is not OTLP as protobuf: ${(error as Error).message}`);
  }
}

async function inflated(bytes: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: LONGEST_BODY });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new BodyError('too large', `the inflated body has more than ${LONGEST_BODY} bytes`);
    throw new BadRequestError(`the body is not gzip: ${message}`);
  }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BodyError('not UTF-8', 'the body is not UTF-8');
  }
}

// Keys of tasks that serve over HTTP.
import { Type } from '@sinclair/typebox';

export const listenKeys = {
  host: Type.String({ description: 'address to listen on; 0.0.0.0 accepts connections from the whole network' }),
  port: Type.Integer({ minimum: 0, maximum: 65_535, description: 'port to listen on; 0: any free one' }),
};

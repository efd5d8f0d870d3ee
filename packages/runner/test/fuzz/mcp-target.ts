// An environment over MCP as a target of damaged requests: those of a session, and those of a client without sessions.
import { serveMcpEnv } from '@bowyer/serving';
import { damageRequest, Faults, LANES, request, send } from './requests.js';
import type { OpenTarget } from './target.js';

const accept = { accept: 'application/json, text/event-stream' };
const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
const rpc = (method: string, params: object, id = 1) => ({ jsonrpc: '2.0', id, method, params });
const initialize = request('POST', '/mcp', rpc('initialize', client), accept);

/** The id of the session in the valid inputs. It has the length of a real one. */
const SESSION = '00000000-0000-4000-8000-000000000000';

const VERSION = '2026-07-28';
const stateless = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

const seeds = (): Buffer[] => {
  const inSession = (body: object) => request('POST', '/mcp', body, { ...accept, 'mcp-session-id': SESSION });
  const call = (name: string, given: object) => rpc('tools/call', { name, arguments: given });
  const alone = (method: string, params: object, headers: Record<string, string> = {}) =>
    request('POST', '/mcp', rpc(method, { ...params, ...stateless }), {
      ...accept,
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...headers,
    });
  return [
    initialize,
    inSession(call('reset', { seed: 3 })),
    inSession(call('step', { action: 'move up' })),
    inSession(rpc('tools/list', {})),
    inSession({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    alone('tools/list', {}),
    alone('tools/call', { name: 'reset', arguments: { seed: 3 } }, { 'mcp-name': 'reset' }),
    alone('tools/call', { name: 'step', arguments: { action: 'up', episode: 'a' } }, { 'mcp-name': 'step' }),
  ];
};

export const mcpServer: OpenTarget = async () => {
  const faults = new Faults();
  const server = await serveMcpEnv({
    name: 'maze',
    options: {},
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    maxInstances: 1000,
    idleMs: 60_000,
    onFault: faults.add,
  });
  const opened = async () => /mcp-session-id: (\S+)/i.exec(await send(server.url, initialize))![1];
  let session = await opened();
  return {
    seeds: seeds(),
    damage: damageRequest,
    lanes: LANES,
    read: async (input) => {
      const given = Buffer.from(Buffer.from(input).toString('latin1').replace(SESSION, session), 'latin1');
      try {
        return await faults.during(send(server.url, given));
      } catch (error) {
        if (/: 404/.test((error as Error).message)) session = await opened(); // a damaged request has closed it
        throw error;
      }
    },
    close: () => server.close(),
  };
};

// Runs a recording proxy: it sends agents' requests to another endpoint and records the answers, which have no tokens.
import { ProtocolServer, sameText, type CallObserver } from '@bowyer/serving';
import { RolloutKeys } from '../../record/record-key.js';
import type { RolloutLog } from '../../record/rollout-log.js';
import { Recorder, type RecordedRollouts } from '../recorder.js';
import { rolloutRoutes } from '../rollout-routes.js';
import { TraceFile } from '../traces/trace-file.js';
import { TraceOwners } from '../traces/trace-owners.js';
import { traceRoutes } from '../traces/trace-routes.js';
import { proxiedProtocols } from './proxied-routes.js';
import type { UpstreamOptions } from './upstream.js';

export interface ProxyServerOptions extends Omit<UpstreamOptions, 'isOwnKey'> {
  host: string;
  /** The port; 0 selects any free port. */
  port: number;
  /** The API key that clients must send unless they send a rollout's key; null: no key is needed. */
  apiKey: string | null;
  /** The log of rollouts, which must stay open until the server has closed. */
  log: RolloutLog;
  /** Changes the bodies of the agents' requests before they are sent to the endpoint. */
  bodyOf?: CallObserver['bodyOf'];
  /** Receives faults of this server, which the client sees as HTTP status 500. */
  onFault?: (error: Error) => void;
}

export class ProxyServer {
  private constructor(
    private readonly server: ProtocolServer,
    /** The methods that begin, reward, end and read rollouts, for callers in this process; the REST routes call the same ones. */
    readonly rollouts: RecordedRollouts,
  ) {}

  static async listen({ log, host, port, apiKey, ...options }: ProxyServerOptions): Promise<ProxyServer> {
    const { bodyOf, onFault = () => undefined } = options;
    let origin = '';
    const [keys, owners] = await Promise.all([RolloutKeys.open(log.folder), TraceOwners.open(log.folder)]);
    const gate = { longestWaitMs: 0, mostWaiting: 0 }; // no call waits, since an endpoint's weights never change
    const recorder = new Recorder({ log, keys, ...gate, bodyOf, origin: () => origin, onFault });
    const isOwnKey = (key: string) => (apiKey !== null && sameText(key, apiKey)) || keys.rolloutOf(key) !== null;
    const server = await ProtocolServer.listen({
      protocols: [
        ...proxiedProtocols(recorder, { ...options, isOwnKey }),
        rolloutRoutes(recorder),
        traceRoutes(new TraceFile(log.folder), owners),
      ],
      host,
      port,
      apiKey,
      health: () => ({ upstream: options.upstream }),
      observer: recorder,
      onFault,
    });
    origin = new URL(server.url).origin;
    return new ProxyServer(server, recorder);
  }

  /** Returns the server's address `http://ADDRESS:PORT`. */
  get origin(): string {
    return new URL(this.server.url).origin;
  }

  /** Stops accepting requests, and finishes the answers in progress. */
  close(): Promise<void> {
    return this.server.close();
  }
}

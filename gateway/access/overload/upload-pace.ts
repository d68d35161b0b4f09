import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '#shared/errors.ts';

/**
 * A request has to keep arriving: this many bytes in each window, however large it is. 64 KiB in 15 seconds are 35 kbit/s, so that 25 MiB
 * may take 100 minutes.
 */
const windowMs = 15_000;
const windowBytes = 65_536;
const lookEveryMs = 1_000;

const stalled = new WeakSet<IncomingMessage>();

/** Whether this request's connection was closed because it arrived too slowly. */
export const hasStalled = (incoming: IncomingMessage): boolean => stalled.has(incoming);

export const uploadStalled = () =>
  new AppError('request_timeout', 'The request arrived too slowly: less than 64 KiB in 15 seconds. Send it again.', {
    retryAfterMs: 1000,
  });

/** A request that is arriving, as it was at the beginning of a window. */
interface Upload {
  incoming: IncomingMessage | null;
  outgoing: ServerResponse | null;
  /** The request of the window; another request begins another window. */
  seen: IncomingMessage | null;
  since: number;
  bytes: number;
  refused: boolean;
}

/**
 * Closes connections whose requests arrive too slowly: each is `ERR_UPLOAD_STALLED` at the server's `clientError`. A client that was
 * answered already has one window for the rest. It costs a request nothing, because all connections are checked once a second.
 */
export function watchUploads(server: Server): void {
  const uploads = new Map<Socket, Upload>();
  const timer = setInterval(() => {
    for (const [socket, upload] of uploads) look(socket, upload, server);
  }, lookEveryMs).unref();
  server.on('connection', (socket) => {
    uploads.set(socket, { incoming: null, outgoing: null, seen: null, since: 0, bytes: 0, refused: false });
    socket.once('close', () => uploads.delete(socket));
  });
  server.on('request', (incoming, outgoing) => {
    const upload = uploads.get(incoming.socket);
    if (!upload) return;
    upload.incoming = incoming;
    upload.outgoing = outgoing;
  });
  server.once('close', () => clearInterval(timer));
}

function look(socket: Socket, upload: Upload, server: Server): void {
  const { incoming, outgoing } = upload;
  if (!incoming || incoming.complete) {
    Object.assign(upload, { incoming: null, outgoing: null, seen: null });
    return;
  }
  if (upload.refused) return void socket.destroy();
  const now = performance.now();
  const hasMore = socket.bytesRead - upload.bytes >= windowBytes;
  const isReading = incoming.readableFlowing === true && !incoming.isPaused();
  // A body that the gateway does not read at the moment cannot keep arriving. The rest of an answered request is thrown away.
  if (upload.seen !== incoming || (!outgoing?.headersSent && (hasMore || !isReading))) {
    Object.assign(upload, { seen: incoming, since: now, bytes: socket.bytesRead });
  } else if (now - upload.since >= windowMs) {
    upload.refused = true;
    stalled.add(incoming);
    const cause = Object.assign(new Error('the request stalled'), { code: 'ERR_UPLOAD_STALLED' });
    server.emit('clientError', cause, socket);
  }
}

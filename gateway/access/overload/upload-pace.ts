import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '#shared/errors.ts';

/**
 * Requests have to go on arriving: so much in so long, over and over, however large they are. 64 KiB in 15 seconds are 35 kbit/s;
 * 25 MiB may take 100 minutes.
 */
const windowMs = 15_000;
const windowBytes = 65_536;
const lookEveryMs = 1_000;

const stalled = new WeakSet<IncomingMessage>();

/** Whether this request was hung up on because it came too slowly. */
export const hasStalled = (incoming: IncomingMessage): boolean => stalled.has(incoming);

export const uploadStalled = () =>
  new AppError('request_timeout', 'The request arrived too slowly: less than 64 KiB in 15 seconds. Send it again.', {
    retryAfterMs: 1000,
  });

/** A request on its way in, as it was at the beginning of a window. */
interface Upload {
  incoming: IncomingMessage | null;
  outgoing: ServerResponse | null;
  /** The request that the window is of; another one begins another window. */
  seen: IncomingMessage | null;
  since: number;
  bytes: number;
  refused: boolean;
}

/**
 * Hangs up on requests that come too slowly: each is `ERR_UPLOAD_STALLED` at the server's `clientError`. Who has been answered
 * already has one window for the rest. Costs a request nothing; all connections are looked at once a second.
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
  // What nobody reads now cannot go on arriving; and what comes after its answer is thrown away.
  if (upload.seen !== incoming || (!outgoing?.headersSent && (hasMore || !isReading))) {
    Object.assign(upload, { seen: incoming, since: now, bytes: socket.bytesRead });
  } else if (now - upload.since >= windowMs) {
    upload.refused = true;
    stalled.add(incoming);
    const cause = Object.assign(new Error('the request stalled'), { code: 'ERR_UPLOAD_STALLED' });
    server.emit('clientError', cause, socket);
  }
}

import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText } from '../common/fields.ts';

export const gatewayConnection = z.object({
  mode: z.enum(['embedded', 'remote']),
  /** The built-in gateway's port on 127.0.0.1 for other programs. */
  local: z.object({
    enabled: z.boolean(),
    port: z.int(),
    url: z.string().nullable(),
    /** Why the port is closed although it should be open. */
    problem: problemText.nullable(),
  }),
  status: z.object({
    /** `answers`: the gateway answers but doesn't report on the credential. `busy`: it answers but limits the rate. */
    state: z.enum(['ok', 'answers', 'busy', 'unreachable', 'refused']),
    problem: problemText.nullable(),
    retryAfterMs: z.int().nullable(),
    latencyMs: z.number().nullable(),
  }),
});

export const gatewayContract = {
  get: oc.output(gatewayConnection),
  /** Opens or closes the built-in gateway’s port for other programs. */
  listen: oc.input(z.object({ enabled: z.boolean(), port: z.int().min(1).max(65535) })).output(gatewayConnection),
};

export type GatewayConnection = z.infer<typeof gatewayConnection>;

import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText, rule, secretStorage } from '../common/fields.ts';

const key = z
  .string()
  .trim()
  .min(8)
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, rule('key'));

export const gatewayConnection = z.object({
  mode: z.enum(['embedded', 'remote']),
  remote: z
    .object({ baseUrl: z.string(), keyHint: z.string().nullable(), storage: secretStorage.nullable() })
    .nullable(),
  /** The built-in gateway’s port on 127.0.0.1 for other programs. */
  local: z.object({
    enabled: z.boolean(),
    port: z.int(),
    url: z.string().nullable(),
    /** Why the port is closed although it should be open. */
    problem: problemText.nullable(),
  }),
  status: z.object({
    /** `busy`: it answers, but is rate-limited. */
    state: z.enum(['ok', 'busy', 'unreachable', 'refused']),
    problem: problemText.nullable(),
    retryAfterMs: z.int().nullable(),
    latencyMs: z.number().nullable(),
  }),
});

export const gatewayContract = {
  get: oc.output(gatewayConnection),
  /** Verifies base URL and key with the gateway, then saves the key and uses that gateway. */
  connect: oc.input(z.object({ baseUrl: z.url({ protocol: /^https?$/ }).max(2048), key })).output(gatewayConnection),
  /** Removes the remote gateway’s key and returns to the built-in one. */
  disconnect: oc.output(gatewayConnection),
  /** Opens or closes the built-in gateway’s port for other programs. */
  listen: oc.input(z.object({ enabled: z.boolean(), port: z.int().min(1).max(65535) })).output(gatewayConnection),
};

export type GatewayConnection = z.infer<typeof gatewayConnection>;

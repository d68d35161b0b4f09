import { oc } from '@orpc/contract';
import { z } from 'zod';
import { rule, secretStorage, told } from '../common/fields.ts';

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
  /** The embedded gateway's door for the user's other programs, on 127.0.0.1. */
  local: z.object({
    enabled: z.boolean(),
    port: z.int(),
    url: z.string().nullable(),
    /** Why it is closed although it should be open. */
    problem: told.nullable(),
  }),
  status: z.object({
    /** `busy`: it answers, and asks to wait. */
    state: z.enum(['ok', 'busy', 'unreachable', 'refused']),
    problem: told.nullable(),
    retryAfterMs: z.int().nullable(),
    latencyMs: z.number().nullable(),
  }),
});

export const gatewayContract = {
  get: oc.output(gatewayConnection),
  /** Verifies base URL and key with the gateway, then keeps the key and uses it from now on. */
  connect: oc.input(z.object({ baseUrl: z.url({ protocol: /^https?$/ }).max(2048), key })).output(gatewayConnection),
  /** Forgets the remote gateway's key and goes back to the embedded one. */
  disconnect: oc.output(gatewayConnection),
  /** Opens or closes the embedded gateway's port for other programs. */
  listen: oc.input(z.object({ enabled: z.boolean(), port: z.int().min(1).max(65535) })).output(gatewayConnection),
};

export type GatewayConnection = z.infer<typeof gatewayConnection>;

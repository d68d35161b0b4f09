import { z } from 'zod';

/** The error envelope on both bases and inside streams (wire contract §3.1). */
export const errorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
      status_code: z.int(),
      request_id: z.string().nullable(),
      provider: z.string().nullable(),
      /** The provider's own message if it refused, without keys and addresses. */
      provider_error: z
        .object({
          status: z.int(),
          code: z.string().nullable(),
          param: z.string().nullable(),
          message: z.string().nullable(),
        })
        .optional(),
      retryable: z.boolean(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: 'Error' });

export type ErrorBody = z.infer<typeof errorBody>;

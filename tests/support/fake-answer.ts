/** The fake core's answer. It contains every Markdown construct that the thread must draw. */
export const fakeAnswer = `A **sliding window counter** keeps two numbers per key and weighs the older one. It is *nearly exact* and costs one round trip.

## Why not a fixed window

1. A burst at the edge passes **twice** the quota.
2. The clock of each node decides where the edge is.
3. \`INCR\` alone cannot say *when* to retry.

\`\`\`ts
export interface Decision {
  readonly admitted: boolean;
  readonly retryAfterMs: number;
}

/** Weighs the window before by how much of it still counts. */
export function decide(current: number, previous: number, at: number, limit: number): Decision {
  const weight = 1 - (at % windowMs) / windowMs;
  const estimate = current + previous * weight;
  return { admitted: estimate < limit, retryAfterMs: estimate < limit ? 0 : windowMs - (at % windowMs) };
}
\`\`\`

| | memory per key | error | round trips |
|---|--:|--:|--:|
| fixed window | 8 B | up to 100 % | 1 |
| **sliding counter** | 16 B | under 2 % | 1 |
| exact log | 16 B x requests | none | 2 |

> The approximation assumes that the window before was filled evenly.

- [x] deny at the local share until the store is back
- [ ] per-endpoint quotas, when somebody asks

More in the [Redis documentation](https://redis.io/docs/latest/).
`;

/**
 * Returns the factor for all pauses of the simulated models, from `PORTICO_SIMULATED_PACE`, or else 1. With 0 they
 * answer at once.
 */
export function simulatedPace(env: Readonly<Record<string, string | undefined>>): number {
  const given = Number(env.PORTICO_SIMULATED_PACE?.trim() || 1);
  return given >= 0 && given <= 100 ? given : 1;
}

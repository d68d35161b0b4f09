import type { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { plans as shipped } from '../../access/auth/plans.ts';
import type { Plan } from '../../access/auth/principal.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { deleteDefinition, writeDefinition } from './definitions.ts';
import { createLivePlans, type LivePlans } from './live-plans.ts';
import { planEntry, planFrom, planId } from './plan-entry.ts';
import { requireValid } from './valid-entry.ts';

/** The operator's commands for plans. */
export interface PlanOperator {
  plans(): Promise<readonly Plan[]>;
  /** Defines a plan, or redefines it for all accounts that have it. Throws `invalid_input`. */
  definePlan(id: string, entry: z.input<typeof planEntry>): Promise<Plan>;
  /**
   * Removes a definition; a shipped plan is then as it ships. Throws `not_found`, and `invalid_input` while accounts have the
   * plan.
   */
  removePlan(id: string): Promise<void>;
}

export function createPlanOperator(deps: {
  readonly db: GatewayDb;
  readonly now: () => number;
  /** The plans of the gateway in this process, if there is one. */
  readonly plans: LivePlans | null;
}): PlanOperator {
  const { db, now } = deps;
  const changed = async () => deps.plans?.reload();
  return {
    async plans() {
      return (await createLivePlans(db)).all();
    },

    async definePlan(id, given) {
      requireValid(planId.safeParse(id), `A plan cannot be called "${id}"`);
      const entry = requireValid(planEntry.safeParse(given), `The plan "${id}" is not valid`);
      await writeDefinition(db, { kind: 'plan', id, document: entry }, now());
      await changed();
      return planFrom(id, entry);
    },

    async removePlan(id) {
      if (!shipped.some((plan) => plan.id === id)) {
        const { count } = await db
          .selectFrom('accounts')
          .select((row) => row.fn.countAll<bigint>().as('count'))
          .where('plan', '=', id)
          .executeTakeFirstOrThrow();
        if (BigInt(count) > 0n) {
          throw new AppError('invalid_input', `${count} accounts have the plan "${id}". Give them another one first.`);
        }
      }
      if (!(await deleteDefinition(db, 'plan', id))) throw new AppError('not_found', `No plan "${id}" was defined.`);
      await changed();
    },
  };
}

import { type PlanOf, plans as shipped, getPlan as shippedPlan } from '../../access/auth/plans.ts';
import type { Plan } from '../../access/auth/principal.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { readDefinitions } from './definitions.ts';
import { planEntry, planFrom } from './plan-entry.ts';

export interface LivePlans {
  /** The same object for each plan as long as it is defined so. */
  readonly of: PlanOf;
  /** Those that ship and those that are defined, which come in the place of one with the same id. */
  all(): readonly Plan[];
  /** Looks whether plans were defined anew. */
  reload(): Promise<void>;
}

/** The plans of one gateway. */
export async function createLivePlans(db: GatewayDb): Promise<LivePlans> {
  let documents: ReadonlyMap<string, string> = new Map();
  let defined = new Map<string, Plan>();

  async function reload(): Promise<void> {
    const read = await readDefinitions(db, 'plan');
    defined = new Map(
      [...read].map(([id, document]) => {
        const before = documents.get(id) === document ? defined.get(id) : undefined;
        return [id, before ?? planFrom(id, planEntry.parse(JSON.parse(document)))];
      }),
    );
    documents = read;
  }

  await reload();
  return {
    of: (id) => defined.get(id) ?? shippedPlan(id),
    all: () => [...shipped.filter(({ id }) => !defined.has(id)), ...defined.values()],
    reload,
  };
}

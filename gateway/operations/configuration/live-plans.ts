import { type PlanOf, plans as shipped, getPlan as shippedPlan } from '../../access/auth/plans.ts';
import type { Plan } from '../../access/auth/principal.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { readDefinitions } from './definitions.ts';
import { planEntry, planFrom } from './plan-entry.ts';

export interface LivePlans {
  /** Returns a plan: always the same object, until it's defined differently. */
  readonly getPlan: PlanOf;
  /** All plans: the shipped ones, and the defined ones, which replace a shipped one with the same id. */
  all(): readonly Plan[];
  /** Reads the definitions again. */
  reload(): Promise<void>;
}

/** Creates the plans of one gateway. */
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
    getPlan: (id) => defined.get(id) ?? shippedPlan(id),
    all: () => [...shipped.filter(({ id }) => !defined.has(id)), ...defined.values()],
    reload,
  };
}

import type { UsageGroupId, UsageGrouping } from '#shared/contract/app/usage.ts';
import type { ProviderName } from '../../../api/use-provider-name.ts';
import { text } from '../../../text/usage-text.ts';

type Named = UsageGroupId & { readonly name: string | null };

/** Returns the display name of a group. */
export function groupName({ kind, id, name }: Named, groupBy: UsageGrouping, providerName: ProviderName): string {
  if (kind !== 'named') return text.kinds[kind];
  if (name !== null) return name;
  switch (groupBy) {
    case 'provider':
      return providerName(id ?? '');
    case 'status':
      return text.statuses[id ?? ''] ?? id ?? '';
    case 'provenance':
      return text.provenances[id ?? ''] ?? id ?? '';
    case 'purpose':
      return text.purposes[id ?? ''] ?? id ?? '';
    default:
      return id ?? '';
  }
}

export const groupKey = ({ kind, id, provider }: UsageGroupId): string => `${kind} ${provider} ${id}`;

import { useModels, useSettings } from '../../lib/use-core.ts';
import { named } from './compare-models.ts';

/** Whether the user wants to see first what the router would choose, and this model is one. */
export function useConfirmsRoute(): (model: string) => boolean {
  const wanted = useSettings().data?.confirmRoute === true;
  const models = useModels().data?.models ?? [];
  return (model) => wanted && (model === 'router' || named(models, model)?.kind === 'router');
}

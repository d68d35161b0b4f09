import { useModels, useSettings } from '../../api/use-core.ts';
import { named } from '../compare/compare-models.ts';

/** Whether the user wants to see first what the router would choose, and this model is one. */
export function useConfirmsRoute(): (model: string) => boolean {
  const wanted = useSettings().data?.confirmRoute === true;
  const models = useModels().data?.models ?? [];
  return (model) => wanted && (model === 'router' || named(models, model)?.kind === 'router');
}

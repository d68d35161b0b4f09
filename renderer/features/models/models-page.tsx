import { useNav } from '../../navigation/nav.ts';
import { CompareView } from './compare-view.tsx';
import { ModelsList } from './models-list.tsx';

/** The list of models, or some of them side by side. */
export function ModelsPage() {
  const view = useNav(({ loc }) => (loc.page === 'models' ? loc.view : undefined));
  return view === 'compare' ? <CompareView /> : <ModelsList />;
}

import { config } from 'zod';

// The page's policy forbids making functions from text; zod would try. The renderer itself has no zod.
config({ jitless: true });

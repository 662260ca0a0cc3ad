import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';

// Schemas are described with `.openapi(…)`, which exists only after this call: import `z` from here.
extendZodWithOpenApi(z);

/** Clients read no words of the library. A schema that needs more than these has its own: a test checks every field. */
z.config({ localeError: () => 'is not valid' });

export { z };

import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';

/** Renders every error as the specification's Error. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
    const message = status < 500 && error instanceof Error ? error.message : 'Something failed.';
    const code = status < 500 ? 'refused' : 'internal';
    host.switchToHttp().getResponse().status(status).send({ code, message, status });
  }
}

/** Fastify's own errors, such as that of a malformed body, carry their status. */
const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;

import 'reflect-metadata';
import { Module, StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiKeyGuard } from './api-key.guard.js';
import { ErrorFilter } from './error.filter.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

@Module({ controllers: [PetsController], providers: [PetsService] })
class AppModule {}

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: ['error'] });
app.useGlobalGuards(new ApiKeyGuard());
app.useGlobalPipes(new StandardSchemaValidationPipe());
app.useGlobalFilters(new ErrorFilter());
await app.listen(Number(process.env['PORT']), '127.0.0.1');

"""Apart from 0036: PostgreSQL changes no table in the transaction in which rows wait to be checked against it."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('tournament', '0036_baselines'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='tournament',
            name='baseline',
        ),
    ]

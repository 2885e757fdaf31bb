"""What an event's pages are marked with besides its log's numbers, which a restored backup uses again."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournament', '0037_remove_tournament_baseline'),
    ]

    operations = [
        migrations.AddField(
            model_name='tournament',
            name='lineage',
            field=models.CharField(blank=True, default='', editable=False, max_length=8),
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournament', '0015_forfeits_are_no_meetings'),
    ]

    operations = [
        migrations.AddField(
            model_name='entry',
            name='captain',
            field=models.PositiveSmallIntegerField(default=1, help_text='Which of the members.', verbose_name='captain'),
        ),
        migrations.AlterField(
            model_name='entry',
            name='members',
            field=models.JSONField(blank=True, default=list, verbose_name='team members'),
        ),
    ]
